use proptest::prelude::*;
use std::collections::BTreeMap;
use steadfast_core::{Compress, Compression, Format, Payload, Policy};

#[test]
fn a_format_is_a_number_that_stays() {
    let format = |json, compression, version| Format { json, compression, version };
    for (format, code) in [
        (format(false, Compression::None, 0), 0),
        (format(true, Compression::None, 0), 1),
        (format(false, Compression::Gzip, 0), 2),
        (format(true, Compression::Lz4, 0), 5),
        (format(false, Compression::Zstd, 0), 6),
        (format(false, Compression::Unknown(7), 0), 14),
        (format(true, Compression::Zstd, 3), 55),
        (format(true, Compression::Unknown(7), u32::MAX), (1 << 36) - 1),
    ] {
        assert_eq!(format.code(), code);
        assert_eq!(Format::from_code(code), Some(format));
    }
    for code in [-1, 1 << 36, i64::MIN, i64::MAX] {
        assert_eq!(Format::from_code(code), None, "{code}");
    }
}

#[test]
fn a_kind_says_how_its_payloads_are_packed_and_others_read_it() {
    let mut policy = Policy::default();
    assert!(!serde_json::to_string(&policy).unwrap().contains("compression"));
    policy.compression = Compress { algorithm: Compression::Zstd, bytes_min: 4096 };
    let text = serde_json::to_string(&policy).unwrap();
    assert!(text.contains(r#""compression":{"algorithm":"zstd","bytes_min":4096}"#), "{text}");
    assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    policy.compression = Compress::with(Compression::Unknown(5));
    let refusal = policy.check().unwrap_err().to_string();
    assert_eq!(refusal, "compression is algorithm 5; use gzip, lz4 or zstd");
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
    fn every_number_of_a_format_is_one_format(code in 0i64..1 << 36) {
        prop_assert_eq!(Format::from_code(code).map(Format::code), Some(code));
    }

    #[test]
    fn a_value_comes_back(value in proptest::collection::btree_map(".*", any::<i64>(), 0..8)) {
        let read: BTreeMap<String, i64> = Payload::json("mail", &value).unwrap().read().unwrap();
        prop_assert_eq!(read, value);
    }
}
