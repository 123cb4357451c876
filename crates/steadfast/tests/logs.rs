//! Every log line of a run says of which task, kind and attempt it is, and of which trace.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod setting;

use setting::{builder, end, quick, store};
use std::io::Write;
use std::sync::{Arc, Mutex};
use steadfast::{BoxError, Handler, New, Outcome, Rest, Run, Status, TraceContext};

/// Where the log goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// The lines that hold a word.
    fn lines(&self, word: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// TP-07.
// One test, since one process has one log for all its threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_of_a_run_names_its_task_kind_attempt_and_trace() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let handler = Handler::of("mail", |run: Run| async move {
        tracing::info!("handler begins");
        tokio::task::yield_now().await;
        tracing::info!("handler goes on");
        if run.task().attempt == 1 { Err(BoxError::from("once more")) } else { Ok(Outcome::Done) }
    });
    let engine = builder(&store())
        .around(|_: Run, rest: Rest| async move {
            tracing::info!("interceptor");
            rest.run().await
        })
        .register(handler.policy(quick(|_| {})))
        .start()
        .await
        .unwrap();
    let place = TraceContext::new(7, 8, true).unwrap();
    let id = engine.add(New::kind("mail", "").suffix("VIP").trace(place)).await.unwrap().id;
    let plain = engine.add(New::kind("mail", "")).await.unwrap().id;
    assert_eq!(end(&engine, id).await.status, Status::Done);
    assert_eq!(end(&engine, plain).await.status, Status::Done);
    let _ = engine.drain().await.unwrap();

    for word in ["interceptor", "handler begins", "handler goes on"] {
        for attempt in [1, 2] {
            let begin =
                format!("run{{task={id} kind=mail|VIP attempt={attempt} trace=\"{}\"", place.trace_id());
            let lines = log.lines(word);
            assert_eq!(lines.iter().filter(|line| line.contains(&begin)).count(), 1, "{begin}\n{lines:#?}");
            let begin = format!("run{{task={plain} kind=mail attempt={attempt}}}");
            assert_eq!(lines.iter().filter(|line| line.contains(&begin)).count(), 1, "{begin}\n{lines:#?}");
        }
    }
}
