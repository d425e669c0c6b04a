//! Single files of a checkout, read and written whole. Links are kept as links and never followed.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::model::text::digest_of;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Absent,
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    Link(PathBuf),
    /// A folder, a device, or something behind a link: nothing that a fix may write.
    Other,
}

impl FileState {
    pub fn read(root: &Path, path: &Path) -> io::Result<Self> {
        if is_beyond_link(root, path) {
            return Ok(Self::Other);
        }
        let place = root.join(path);
        let meta = match place.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Self::Absent);
            }
            Err(error) => return Err(error),
        };
        if meta.is_symlink() {
            return Ok(Self::Link(fs::read_link(place)?));
        }
        if !meta.is_file() {
            return Ok(Self::Other);
        }
        Ok(Self::File { bytes: fs::read(place)?, mode: meta.mode() & 0o7777 })
    }

    /// Puts it there, whole or not at all.
    pub fn write(&self, root: &Path, path: &Path) -> io::Result<()> {
        if is_beyond_link(root, path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a link leads there"));
        }
        let place = root.join(path);
        let folder = place.parent().unwrap_or(root);
        match self {
            Self::Absent => match fs::remove_file(&place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            Self::File { bytes, mode } => {
                fs::create_dir_all(folder)?;
                let mut file = tempfile::NamedTempFile::new_in(folder)?;
                file.write_all(bytes)?;
                file.as_file().set_permissions(fs::Permissions::from_mode(*mode))?;
                file.as_file().sync_all()?;
                file.persist(&place).map(drop).map_err(|error| error.error)
            }
            Self::Link(target) => {
                fs::create_dir_all(folder)?;
                Self::Absent.write(root, path)?;
                symlink(target, &place)
            }
            Self::Other => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")),
        }
    }

    /// The same for the same state only.
    pub fn digest(&self) -> String {
        match self {
            Self::Absent => "absent".to_owned(),
            Self::File { bytes, mode } => format!("{mode:o} {}", digest_of(bytes)),
            Self::Link(target) => format!("link {}", digest_of(target.as_os_str().as_encoded_bytes())),
            Self::Other => "other".to_owned(),
        }
    }

    /// The text of a file; empty for what has none.
    pub fn text(&self) -> String {
        match self {
            Self::File { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }
}

/// One of the folders above is a link.
fn is_beyond_link(root: &Path, path: &Path) -> bool {
    path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).any(|above| root.join(above).is_symlink())
}
