//! How a single task is named: by its id, its key or its caller's own id, and the version that was seen.

use crate::exit::NotThere;
use std::str::FromStr;
use steadfast::{Engine, Key, Task, TaskId, Version};

/// A task as named on the command line: `ID`, `ID@VERSION`, `key:NAME` or `id:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    name: Name,
    /// The version that the operator saw.
    pub(crate) version: Option<Version>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Id(TaskId),
    Key(Key),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("key:") {
            return Ok(Self { name: Name::Key(Key::key(name)), version: None });
        }
        if let Some(name) = text.strip_prefix("id:") {
            return Ok(Self { name: Name::Key(Key::id(name)), version: None });
        }
        let (id, version) = match text.split_once('@') {
            Some((id, version)) => (id, Some(version)),
            None => (text, None),
        };
        let wrong = || format!("`{text}` names no task; write ID, ID@VERSION, key:NAME or id:NAME");
        let id = id.parse().map_err(|_| wrong())?;
        let version = version.map(|version| version.parse().map(Version::from_i64)).transpose();
        Ok(Self { name: Name::Id(id), version: version.map_err(|_| wrong())? })
    }
}

impl Target {
    /// The task, living or ended.
    pub(crate) async fn find(&self, engine: &Engine) -> anyhow::Result<Task> {
        let id = match &self.name {
            Name::Id(id) => *id,
            Name::Key(key) => engine.look_up(key.clone()).await?.ok_or_else(|| {
                NotThere(format!("no task has the name `{}`; its window may be over", key.name))
            })?,
        };
        let gone = || NotThere(format!("no task {id}; it may have been finished and cleaned"));
        Ok(engine.get(id).await?.ok_or_else(gone)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_in_four_ways() {
        let id = TaskId::new(7, [1, 2]);
        let plain: Target = id.to_string().parse().unwrap();
        assert_eq!(plain, Target { name: Name::Id(id), version: None });
        let seen: Target = format!("{id}@12").parse().unwrap();
        assert_eq!(seen.version, Some(Version::from_i64(12)));
        let key: Target = "key:order@7".parse().unwrap();
        assert_eq!(key, Target { name: Name::Key(Key::key("order@7")), version: None });
        for wrong in ["", "7", "01932b5c@x", "key"] {
            assert!(wrong.parse::<Target>().unwrap_err().contains("names no task"), "{wrong}");
        }
    }
}
