//! Runs the program in a folder of its own and writes down what it said.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Commands and answers, one after the other, with everything that differs from run to run replaced.
pub(crate) struct Transcript {
    folder: tempfile::TempDir,
    envs: BTreeMap<String, String>,
    text: String,
    /// Ids in the order in which they were first seen; `{1}` in an argument stands for the first.
    ids: Vec<String>,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, envs: BTreeMap::new(), text: String::new(), ids: Vec::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn url(&self) -> String {
        format!("sqlite:{}", self.path("steadfast.db").display())
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    pub(crate) fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.envs.insert(name.into(), value.into());
        self
    }

    /// Runs a command without anything to read.
    pub(crate) fn run(&mut self, args: &[&str]) -> &mut Self {
        self.feed(args, "")
    }

    /// Runs a command that reads this.
    pub(crate) fn feed(&mut self, args: &[&str], input: &str) -> &mut Self {
        let args: Vec<String> = args.iter().map(|arg| self.filled(arg)).collect();
        let output = self.spawn(&args, input, Stdio::piped());
        let shown: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        self.note(&format!("$ steadfast {}\n", shown.join(" ")));
        self.note(&said);
        self.note(&complained.lines().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "! {line}");
            text
        }));
        let code = output.status.code().map_or("none".into(), |code| code.to_string());
        let _ = write!(self.text, "[exit {code}]\n\n");
        self
    }

    /// What a command writes, and its exit code; not noted.
    pub(crate) fn output(&self, args: &[&str]) -> (String, i32) {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let output = self.spawn(&args, "", Stdio::piped());
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
    }

    /// What a command complains of when nobody reads what it writes, and its exit code.
    pub(crate) fn to_closed_pipe(&self, args: &[&str]) -> (String, i32) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let output = self.spawn(&args, "", writer.into());
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().unwrap_or(-1))
    }

    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }

    fn spawn(&self, args: &[String], input: &str, stdout: Stdio) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.args(args).current_dir(self.folder.path());
        command.env_remove("STEADFAST_DATABASE").env_remove("STEADFAST_CONFIG").env("TZ", "UTC");
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("COLUMNS", "120");
        command.envs(&self.envs).stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A program that does not read may be gone already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("the program ends")
    }

    fn filled(&self, arg: &str) -> String {
        let mut arg = arg.to_owned();
        for (n, id) in self.ids.iter().enumerate() {
            arg = arg.replace(&format!("{{{}}}", n + 1), id);
        }
        arg
    }

    /// Notes a text with ids, times and sizes replaced.
    fn note(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let (taken, shown) = self.next(rest);
            self.text.push_str(&shown);
            rest = &rest[taken..];
            // Columns are as wide as what was replaced; only their order is worth noting.
            if !self.text.ends_with(['\n', ' ']) && rest.starts_with("  ") {
                self.text.push_str("  ");
                rest = rest.trim_start_matches(' ');
            }
        }
    }

    /// What stands first in the text: how long it is, and how it is noted.
    fn next(&mut self, text: &str) -> (usize, String) {
        if let Some(id) = text.get(..36).filter(|id| is_uuid(id) && !id.starts_with("01932b5c")) {
            let n = self.ids.iter().position(|seen| seen == id).unwrap_or_else(|| {
                self.ids.push(id.to_owned());
                self.ids.len() - 1
            });
            return (36, format!("[id {}]", n + 1));
        }
        if let Some(time) = text
            .get(..20)
            .filter(|time| is_time(time) && !time.starts_with("2999") && !time.starts_with("2026-12-24"))
        {
            return (time.len(), "[time]".into());
        }
        let fresh = self.text.ends_with([' ', '(']);
        for before in ["for ", "in ", "since ", "ended "].into_iter().filter(|_| fresh) {
            if let Some(span) = text.strip_prefix(before).map(span_len).filter(|len| *len > 0) {
                return (before.len() + span, format!("{before}[span]"));
            }
        }
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        if digits > 0
            && [" ms ago", " s ago", " s left", " KiB"].iter().any(|unit| text[digits..].starts_with(unit))
        {
            return (digits, "[n]".into());
        }
        let cursor = text.strip_prefix("more: --after ").map(|rest| rest.find('\n').unwrap_or(rest.len()));
        if let Some(len) = cursor {
            return ("more: --after ".len() + len, "more: --after [cursor]".into());
        }
        let first = text.chars().next().map_or(1, char::len_utf8);
        (first, text[..first].to_owned())
    }
}

fn quoted(arg: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/@|".contains(letter);
    if !arg.is_empty() && arg.chars().all(plain) { arg.to_owned() } else { format!("'{arg}'") }
}

fn is_uuid(text: &str) -> bool {
    text.char_indices().all(|(at, letter)| match at {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    })
}

fn is_time(text: &str) -> bool {
    let shape = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    text.chars().map(shape).eq("0000-00-00T00:00:00Z".chars())
}

/// How long a span such as `1 h 59 min` at the start of the text is.
fn span_len(text: &str) -> usize {
    let mut len = 0;
    loop {
        let rest = &text[len..];
        let part = if len == 0 { Some(rest) } else { rest.strip_prefix(' ') };
        let Some(part) = part else { return len };
        let digits = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let Some(unit) = part[digits..].strip_prefix(' ').filter(|_| digits > 0) else { return len };
        let letters = unit.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit.len());
        if !["ms", "s", "min", "h", "d"].contains(&&unit[..letters]) {
            return len;
        }
        len += rest.len() - part.len() + digits + 1 + letters;
    }
}
