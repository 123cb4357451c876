//! PostgreSQL's messages, as a wire sees them.

use crate::trial::wire::{Cut, is_write};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;

/// What is cut off, in turn: how the statements begin.
pub(crate) const CUTS: [&str; 7] = ["Adds", "Takes", "Ends", "commit", "Lets", "Makes", "Renews"];
/// How the statement begins whose lost reply is settled.
pub(crate) const SETTLED: &str = "Adds";

/// One connection.
#[derive(Default)]
pub(crate) struct Line(Mutex<At>);

/// Where it is, counted in answered requests.
#[derive(Default)]
struct At {
    /// Requests that the client ended so far.
    asked: u64,
    /// The request whose reply is cut off.
    cut: Option<u64>,
}

impl Line {
    /// Carries requests to the server, but not one that is cut off.
    pub(crate) fn ask(
        &self,
        mut near: &TcpStream,
        mut far: &TcpStream,
        take_cut: impl Fn(&str) -> Option<Cut>,
    ) -> io::Result<()> {
        far.write_all(&startup(near)?)?;
        let mut statements: HashMap<Vec<u8>, String> = HashMap::new();
        // Inside a transaction only its commit is worth a cut: whatever else is lost is rolled back.
        let mut inside = false;
        let mut write: Option<String> = None;
        let mut request = Vec::new();
        loop {
            let message = message(&mut near)?;
            let body = &message[5..];
            match message[0] {
                b'P' => {
                    let (name, rest) = text(body);
                    statements.insert(name.to_vec(), String::from_utf8_lossy(text(rest).0).into_owned());
                }
                b'B' if !inside => write = statements.get(text(text(body).1).0).and_then(|sql| is_write(sql)),
                b'Q' => {
                    inside = body.starts_with(b"begin");
                    write = (text(body).0 == b"commit").then(|| "commit".to_owned());
                }
                _ => {}
            }
            let ended = [b'Q', b'S'].contains(&message[0]);
            request.extend(message);
            if !ended {
                continue;
            }
            let mut at = self.0.lock().unwrap();
            at.asked += 1;
            match write.take().and_then(|what| take_cut(&what)) {
                Some(Cut::Request) => return Ok(()),
                Some(Cut::Reply) => at.cut = Some(at.asked),
                None => {}
            }
            drop(at);
            far.write_all(&request)?;
            request.clear();
        }
    }

    /// Carries replies to the client, up to the one that is cut off. That one is awaited: the server has committed.
    pub(crate) fn answer(&self, mut far: &TcpStream, mut near: &TcpStream) -> io::Result<()> {
        let mut answered = 0;
        loop {
            let message = message(&mut far)?;
            let ready = message[0] == b'Z';
            let cut = self.0.lock().unwrap().cut.is_some_and(|cut| cut == answered + 1);
            if !cut {
                near.write_all(&message)?;
            } else if ready {
                return Ok(());
            }
            // The greeting ends like an answer, and answers nothing.
            answered += u64::from(ready && self.0.lock().unwrap().asked > answered);
        }
    }
}

/// The first message, which has no type.
fn startup(mut from: &TcpStream) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 4];
    from.read_exact(&mut message)?;
    let len = u32::from_be_bytes([message[0], message[1], message[2], message[3]]) as usize;
    message.resize(len, 0);
    from.read_exact(&mut message[4..])?;
    Ok(message)
}

fn message(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message)?;
    let len = u32::from_be_bytes([message[1], message[2], message[3], message[4]]) as usize;
    message.resize(len + 1, 0);
    from.read_exact(&mut message[5..])?;
    Ok(message)
}

/// A text up to its zero byte, and what follows it.
fn text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}
