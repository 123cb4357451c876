use proptest::prelude::*;
use std::collections::BTreeMap;
use steadfast_core::{Compression, Format, Payload};

#[test]
fn a_format_comes_back_from_its_code_and_a_later_one_is_not_guessed() {
    for (json, code) in [(false, 0), (true, 1)] {
        let format = Format { json, compression: Compression::None };
        assert_eq!(format.code(), code);
        assert_eq!(Format::from_code(code.into()), Some(format));
    }
    for code in [-1, 2, 3, 255] {
        assert_eq!(Format::from_code(code), None);
    }
}

#[test]
fn what_has_no_json_form_is_refused_with_its_kind() {
    let by_pair: BTreeMap<(u8, u8), u8> = [((1, 2), 3)].into();
    let refusal = Payload::json("mail", &by_pair).unwrap_err().to_string();
    assert!(refusal.starts_with("payload of kind `mail` cannot be written as JSON: "), "{refusal}");
}

#[test]
fn a_payload_that_is_something_else_says_so_when_read() {
    assert!(Payload::bytes(*b"{").read::<u8>().is_err());
    assert!(Payload::json("mail", &"text").unwrap().read::<u8>().is_err());
}

#[test]
fn a_payload_is_as_long_as_its_bytes() {
    let (empty, full) = (Payload::default(), Payload::bytes(vec![1, 2, 3]));
    assert!(empty.is_empty() && !full.is_empty());
    assert_eq!((empty.len(), full.len()), (0, 3));
    assert!(!full.format.json && Payload::json("mail", &1).unwrap().format.json);
}

proptest! {
    #[test]
    fn a_value_comes_back(value in proptest::collection::btree_map(".*", any::<i64>(), 0..8)) {
        let read: BTreeMap<String, i64> = Payload::json("mail", &value).unwrap().read().unwrap();
        prop_assert_eq!(read, value);
    }
}
