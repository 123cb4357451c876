//! What the figures were measured on.

/// Cores, memory and kernel in one line; what cannot be found out is left out.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = field("/proc/meminfo", "MemTotal:").and_then(|text| gigabytes(&text));
    let model =
        field("/proc/cpuinfo", "model name").map(|text| text.trim_start_matches([' ', '\t', ':']).to_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let parts = [
        Some(format!("{cores} cores{}", model.map_or(String::new(), |model| format!(" ({model})")))),
        memory.map(|gb| format!("{gb} GB of memory")),
        kernel.map(|release| format!("Linux {}", release.trim())),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
}

fn gigabytes(kb: &str) -> Option<u64> {
    let kb: u64 = kb.trim_end_matches(" kB").parse().ok()?;
    Some((kb + (1 << 19)) >> 20)
}
