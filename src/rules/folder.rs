//! `x`: what a `commands` rule is told about one folder.

use mlua::{Lua, Scope, Table, Variadic};

use super::repo::Repo;
use super::view::{FailingJob, Snapshot};

/// A folder that holds a manifest, and the touched files that it governs.
pub(super) struct Folder<'a> {
    pub snapshot: &'a Snapshot,
    /// Empty for the root.
    pub folder: &'a str,
    pub manifest: &'a str,
    pub files: &'a [String],
    pub failing: &'a [FailingJob],
}

impl<'a> Folder<'a> {
    pub fn table<'scope>(&self, lua: &Lua, scope: &'scope Scope<'scope, 'a>) -> mlua::Result<Table> {
        let prefix = if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) };
        let strip = |path: &str| path.strip_prefix(prefix.as_str()).unwrap_or(path).to_owned();
        let inside: Vec<String> = self.files.iter().map(|file| strip(file)).collect();
        let x = lua.create_table()?;
        x.raw_set("repo", scope.create_userdata(Repo::new(self.snapshot))?)?;
        x.raw_set("dir", self.folder)?;
        x.raw_set("above", above(self.folder))?;
        x.raw_set("manifest", self.manifest)?;
        x.raw_set("files", self.files.to_vec())?;
        x.raw_set("rel_files", inside.clone())?;
        let text = self.snapshot.files.get(self.manifest).map(|bytes| lua.create_string(bytes)).transpose()?;
        x.raw_set("text", text)?;
        x.raw_set("failing", failing(lua, self.failing)?)?;
        self.questions(lua, scope, (&x, &prefix))?;
        let code = move |_: &Lua, extensions: Variadic<String>| Ok(with_extension(&inside, &extensions));
        x.raw_set("code", lua.create_function(code)?)?;
        Ok(x)
    }

    /// Functions that look paths up.
    fn questions<'scope>(
        &self,
        lua: &Lua,
        scope: &'scope Scope<'scope, 'a>,
        (x, prefix): (&Table, &str),
    ) -> mlua::Result<()> {
        let (snapshot, base) = (self.snapshot, prefix.to_owned());
        let has = scope.create_function(move |_, name: String| Ok(snapshot.exists(&format!("{base}{name}"))))?;
        x.raw_set("has", has)?;
        let folders = above(self.folder);
        let nearest = scope.create_function(move |_, names: Vec<String>| {
            let found = folders.iter().find_map(|folder| {
                let name = names.iter().find(|name| snapshot.exists(&at(folder, name)))?;
                Some((folder.clone(), name.clone()))
            });
            Ok(found.unzip())
        })?;
        x.raw_set("nearest", nearest)?;
        let base = prefix.to_owned();
        x.raw_set("join", lua.create_function(move |_, name: String| Ok(format!("{base}{name}")))?)?;
        let base = prefix.to_owned();
        let rel = move |_: &Lua, path: String| Ok(path.strip_prefix(base.as_str()).unwrap_or(&path).to_owned());
        x.raw_set("rel", lua.create_function(rel)?)
    }
}

/// The folder and every one above it, up to the root.
fn above(folder: &str) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut rest = folder;
    while !rest.is_empty() {
        rest = rest.rsplit_once('/').map_or("", |(parent, _)| parent);
        folders.push(rest.to_owned());
    }
    folders
}

fn at(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Files with one of the extensions. A name that starts with a dash would be read as an option: it is left out.
fn with_extension(files: &[String], extensions: &[String]) -> Vec<String> {
    let wanted = |file: &&String| {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        !file.starts_with('-') && extension.is_some_and(|found| extensions.iter().any(|known| known == found))
    };
    files.iter().filter(wanted).cloned().collect()
}

fn failing(lua: &Lua, jobs: &[FailingJob]) -> mlua::Result<Table> {
    let list = lua.create_table()?;
    for job in jobs {
        let table = lua.create_table()?;
        table.raw_set("name", job.name.as_str())?;
        table.raw_set("workflow", job.workflow.as_deref())?;
        table.raw_set("step", job.step.as_deref())?;
        list.raw_push(table)?;
    }
    Ok(list)
}
