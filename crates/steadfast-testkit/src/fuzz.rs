//! Damaged inputs for whatever reads from outside.
//!
//! Good inputs are cut, doubled, mixed with each other and mistyped, with the words that they are made of and with what
//! breaks parsers elsewhere. An input that gets an answer of another sort than any before is kept and damaged further, so
//! that the search works its way past the first check. A seed gives the same inputs; one that panics is printed.

use crate::{Random, Shown};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Inputs in a plain run of the tests.
const INPUTS: u64 = 3_000;
/// How long to go on instead, in seconds.
const SECONDS: &str = "STEADFAST_FUZZ_SECONDS";
/// Most inputs that are kept to be damaged further, and their longest.
const KEPT_MAX: usize = 400;
const BYTES_MAX: usize = 4096;
/// What breaks parsers elsewhere: ends of ranges, signs, quotes, letters of several bytes, bytes that are no text.
const ODD: [&[u8]; 24] = [
    b"\0",
    b"-1",
    b"0",
    b"18446744073709551616",
    b"1e999",
    b"0x",
    b"%00",
    b"%",
    b"'",
    b"\"",
    b"\\",
    b"{{{{",
    b"[[[[",
    b";--",
    b"$1",
    b"@",
    b"://",
    b"\t",
    b"\r\n",
    b" ",
    "\u{202e}".as_bytes(),
    "🦀".as_bytes(),
    b"\xff\xfe",
    b"\xed\xa0\x80",
];

/// Shows a parser damaged inputs, made from good ones. It says what came of each, in words that tell sorts of answers
/// apart; it must not panic.
pub fn fuzz(what: &'static str, good: &[impl AsRef<[u8]>], parse: impl Fn(&[u8]) -> String) {
    let mut kept: Vec<Vec<u8>> = good.iter().map(|input| input.as_ref().to_vec()).collect();
    let words: Vec<Vec<u8>> = kept.iter().flat_map(|input| words(input)).collect();
    let mut sorts: BTreeSet<String> = kept.iter().map(|input| sort(&parse(input))).collect();
    let (began, seconds) = (Instant::now(), std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()));
    let goes_on = |n: u64| match seconds.map(Duration::from_secs) {
        Some(seconds) => began.elapsed() < seconds,
        None => n < INPUTS,
    };
    let (mut random, mut n) = (Random::new(1), 0);
    while goes_on(n) {
        n += 1;
        let input = damaged(&mut random, &kept, &words);
        let answer = catch_unwind(AssertUnwindSafe(|| parse(&input))).unwrap_or_else(|panic| {
            eprintln!("{what} panics at {:?}", String::from_utf8_lossy(&input));
            resume_unwind(panic)
        });
        if sorts.insert(sort(&answer)) && kept.len() < KEPT_MAX {
            kept.push(input);
        }
    }
    Shown {
        promise: "fuzz",
        store: "all",
        done: format!("{what}: {n} damaged inputs"),
        seen: format!("panics 0, {} sorts of answers", sorts.len()),
        bar: "panics 0".into(),
        ok: true,
    }
    .hold();
}

/// What an answer is like: without what it quotes, from the first quote to the last, and without numbers.
fn sort(answer: &str) -> String {
    let quotes = ['`', '"', '\''];
    let head = answer.split(quotes).next().unwrap_or_default();
    let tail = answer.rsplit(quotes).next().filter(|_| answer.contains(quotes)).unwrap_or_default();
    head.chars().chain(tail.chars()).filter(|letter| letter.is_alphabetic() || *letter == ' ').collect()
}

/// The words of an input: what stands between its punctuation.
fn words(input: &[u8]) -> Vec<Vec<u8>> {
    let words = input.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(<[u8]>::to_vec).collect()
}

/// One of the kept inputs with a few pieces cut, doubled, flipped or put between.
fn damaged(random: &mut Random, kept: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut input = random.pick(kept).clone();
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(9)).min(input.len());
        match random.below(8) {
            0 => drop(input.drain(at..end)),
            1 => input.truncate(at),
            2 => drop(input.splice(at..at, random.pick(&ODD).iter().copied())),
            3 => drop(input.splice(at..end, input[at..end].repeat(random.below(5)))),
            4 if !words.is_empty() => drop(input.splice(at..end, random.pick(words).clone())),
            5 => {
                let other = random.pick(kept);
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            6 => drop(input.splice(at..end, random.next().to_string().into_bytes())),
            _ => {
                let bit = 1 << random.below(8);
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= bit;
                }
            }
        }
    }
    input.truncate(BYTES_MAX);
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn an_answer_of_another_sort_leads_on() {
        // Behind three checks, one after another.
        let found = Cell::new(false);
        fuzz("a parser that asks for much", &["abc", "xyz"], |input| {
            let text = String::from_utf8_lossy(input);
            let Some(rest) = text.strip_prefix("xyz") else { return "no head".into() };
            let Some(rest) = rest.strip_prefix("abc") else { return "no middle".into() };
            found.set(found.get() || !rest.is_empty());
            if rest.is_empty() { "no tail".into() } else { "found".into() }
        });
        assert!(found.get());
    }

    #[test]
    #[should_panic(expected = "at a crab")]
    fn a_panic_is_not_swallowed() {
        fuzz("a parser that fears crabs", &["abc"], |input| {
            assert!(!String::from_utf8_lossy(input).contains('🦀'), "at a crab");
            String::new()
        });
    }
}
