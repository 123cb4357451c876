//! MariaDB's messages, as a wire sees them. One request is under way at a time.

use crate::trial::wire::{Cut, is_write};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;

/// What is cut off, in turn: how the statements begin.
pub(crate) const CUTS: [&str; 6] = ["Adds", "Gives", "Takes tasks out", "Lets", "Makes", "Renews"];
/// How the statement begins whose lost reply is settled.
pub(crate) const SETTLED: &str = "Adds";

/// The first byte of a request.
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
/// Length and number of a packet.
const HEAD: usize = 4;

/// One connection.
#[derive(Default)]
pub(crate) struct Line(Mutex<At>);

#[derive(Default)]
struct At {
    /// What was prepared, by the number that the server gave it.
    statements: HashMap<[u8; 4], String>,
    /// What is being prepared.
    preparing: Option<String>,
    /// The writes of the transaction that is open.
    inside: Option<Vec<String>>,
    /// The next reply is cut off.
    is_cut: bool,
}

impl Line {
    /// Carries requests to the server, but not one that is cut off.
    pub(crate) fn ask(
        &self,
        mut near: &TcpStream,
        mut far: &TcpStream,
        take_cut: impl Fn(&str) -> Option<Cut>,
    ) -> io::Result<()> {
        loop {
            let packet = packet(&mut near)?;
            let mut at = self.0.lock().unwrap();
            match at.committed(&packet).iter().find_map(|what| take_cut(what)) {
                Some(Cut::Request) => return Ok(()),
                Some(Cut::Reply) => at.is_cut = true,
                None => {}
            }
            drop(at);
            far.write_all(&packet)?;
        }
    }

    /// Carries replies to the client, up to the one that is cut off. That one is awaited: the server has committed.
    pub(crate) fn answer(&self, mut far: &TcpStream, mut near: &TcpStream) -> io::Result<()> {
        loop {
            let packet = packet(&mut far)?;
            let mut at = self.0.lock().unwrap();
            if at.is_cut {
                return Ok(());
            }
            if let (Some(text), [0, a, b, c, d, ..]) = (at.preparing.take(), &packet[HEAD..]) {
                at.statements.insert([*a, *b, *c, *d], text);
            }
            drop(at);
            near.write_all(&packet)?;
        }
    }
}

impl At {
    /// The first words of the writes that a request commits.
    fn committed(&mut self, packet: &[u8]) -> Vec<String> {
        // A packet with a later number goes on with something, such as the greeting.
        let (0, [request, body @ ..]) = (packet[HEAD - 1], &packet[HEAD..]) else { return Vec::new() };
        let text = match *request {
            PREPARE => {
                self.preparing = Some(String::from_utf8_lossy(body).into_owned());
                return Vec::new();
            }
            QUERY => String::from_utf8_lossy(body).into_owned(),
            EXECUTE => body.first_chunk().and_then(|id| self.statements.get(id)).cloned().unwrap_or_default(),
            _ => return Vec::new(),
        };
        // Inside a transaction only its commit is worth a cut: whatever else is lost is rolled back.
        if text.contains("start transaction") {
            self.inside = Some(Vec::new());
        } else if text == "commit" || text == "rollback" {
            return self.inside.take().filter(|_| text == "commit").unwrap_or_default();
        } else if let Some(inside) = &mut self.inside {
            inside.extend(is_write(&text));
        } else {
            return is_write(&text).into_iter().collect();
        }
        Vec::new()
    }
}

fn packet(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut packet = vec![0; HEAD];
    from.read_exact(&mut packet)?;
    let len = u32::from_le_bytes([packet[0], packet[1], packet[2], 0]) as usize;
    packet.resize(HEAD + len, 0);
    from.read_exact(&mut packet[HEAD..])?;
    Ok(packet)
}
