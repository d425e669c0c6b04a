//! A deliberately messy work tree: every kind of change, on names of any bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::fixture::{Fixture, git_in, write};

/// Names that a line-based or quoting tool gets wrong.
pub const ODD: &[&[u8]] = &[
    b"with space",
    b"quote\"d",
    b"apostro'phe",
    b"new\nline",
    b"tab\there",
    b"back\\slash",
    "\u{e9}t\u{e9}/\u{65e5}\u{672c}".as_bytes(),
    b"invalid\xff\xfe",
    b"-dash",
    b"*glob[a]?",
    b":colon",
    b"#hash",
    b" lead and trail ",
    b"deep/er/and/deeper",
];

pub fn odd(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// A repository with attributes, filters and all odd names committed twice: to be modified, and to
/// be deleted.
pub fn committed() -> Fixture {
    committed_in(&[])
}

/// With arguments for `git init`.
pub fn committed_in(init: &[&str]) -> Fixture {
    let f = Fixture::with_init(init);
    let root = &f.repo;
    f.write(".gitattributes", "*.crlf text eol=crlf\n*.auto text=auto\n*.up filter=up\nsub/*.bin -text\n");
    f.write(".gitignore", "*.ignored\nbuild/\n");
    f.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    f.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    for (at, name) in ODD.iter().enumerate() {
        for folder in ["keep", "change", "remove", "chmod", "retype"] {
            write(root, Path::new(folder).join(odd(name)), format!("{folder} {at}\n"));
        }
    }
    f.write("file.crlf", "one\r\ntwo\r\n");
    f.write("file.auto", "one\ntwo\n");
    f.write("file.up", "shout\n");
    f.write("becomes-folder", "x\n");
    f.write("folder/becomes/file", "x\n");
    f.write("tracked.ignored", "x\n");
    symlink("a.txt", root.join("link")).unwrap();
    git_in(root, &["add", "-A", "-f"]);
    git_in(root, &["commit", "-q", "-m", "mess"]);
    f
}

/// Changes of every kind in a checkout of [`committed`].
pub fn make_mess(root: &Path) {
    for name in ODD {
        let in_folder = |folder: &str| root.join(folder).join(odd(name));
        std::fs::write(in_folder("change"), "changed, and longer\n").unwrap();
        std::fs::remove_file(in_folder("remove")).unwrap();
        std::fs::set_permissions(in_folder("chmod"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::remove_file(in_folder("retype")).unwrap();
        symlink("nowhere", in_folder("retype")).unwrap();
        write(root, Path::new("new").join(odd(name)), "new\n");
    }
    write(root, "file.crlf", "one\r\ntwo\r\nthree\r\n");
    // Only the line ends differ: nothing to git.
    write(root, "file.auto", "one\r\ntwo\r\n");
    write(root, "file.up", "shout louder\n");
    write(root, "secret.ignored", "x");
    write(root, "build/out", "x");
    write(root, "tracked.ignored", "changed");
    std::fs::remove_file(root.join("becomes-folder")).unwrap();
    write(root, "becomes-folder/inside", "x\n");
    std::fs::remove_dir_all(root.join("folder")).unwrap();
    write(root, "folder", "now a file\n");
    std::fs::remove_file(root.join("link")).unwrap();
    symlink("elsewhere", root.join("link")).unwrap();
    std::fs::create_dir(root.join("empty")).unwrap();
    let nested = root.join("nested");
    std::fs::create_dir(&nested).unwrap();
    git_in(&nested, &["init", "-q"]);
    write(&nested, "file", "x");
    git_in(&nested, &["add", "."]);
    git_in(&nested, &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "nested"]);
}
