//! Everything that an engine can ask its store for, by somebody who does not wait. The engine itself always does.

use super::scene::{Call, new, number};
use crate::client::Store as OfThis;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use steadfast::core::seam::{Add, Behind, Clean, Grab, Look, Register, Renew, Store};
use steadfast::core::{Demand, Lane, Offer, Receipt};
use steadfast::{Bucket, Kind, Priority, WorkerId};

const LONG: Duration = Duration::from_secs(24 * 3600);
/// Of workers that nobody goes on with.
const LEASE: Duration = Duration::from_millis(500);

pub(crate) fn all() -> Vec<Call> {
    [writes(), reads()].into_iter().flatten().collect()
}

fn writes() -> Vec<Call> {
    vec![
        Call::new("Store::add", |on| async move {
            let tasks = vec![on.engine.prepare(new()).await?, on.engine.prepare(new().key(number())).await?];
            let store: &OfThis = on.engine.store()?;
            let receipt = store.loses_replies().then(|| Receipt::new(0, random()));
            Ok(store.add(Add { tasks, births: None, receipt }).await.map(drop)?)
        }),
        Call::new("Store::register, grab, renew and retire", |on| async move {
            let (store, worker): (&OfThis, _) = (on.engine.store()?, WorkerId::new(0, random()));
            let (name, offer) = ("a moment".to_owned(), Offer { slots: 1, ..Offer::default() });
            store.register(Register { worker, name, build: 0, offer, lease: LEASE }).await?;
            // Of a kind that is not there: what it took would be lost with it.
            let kind = Kind::new("nobody's")?;
            let demand = Demand { kind, priority: Priority::default(), lane: Lane::default(), n: 1 };
            let (bucket, demands) = (Bucket::default(), vec![(demand, LONG)]);
            let grab = Grab { worker, bucket, demands, under: None, durable: true };
            store.grab(grab).await?;
            store.renew(Renew { worker, lease: LEASE, handled: Vec::new() }).await?;
            store.held(worker).await?;
            Ok(store.retire(worker).await?)
        }),
        Call::new("Store::settle", |on| async move {
            let store: &OfThis = on.engine.store()?;
            Ok(store.settle(Receipt::new(0, random())).await.map(drop)?)
        }),
        Call::new("Store::due, release and clean", |on| async move {
            let store: &OfThis = on.engine.store()?;
            store.due(10).await?;
            store.release(None, None, 10).await?;
            let clean = Clean { history: LONG, receipts: LONG, workers: LONG, n_max: 10 };
            Ok(store.clean(clean).await.map(drop)?)
        }),
    ]
}

fn reads() -> Vec<Call> {
    vec![
        Call::new("Store::look, look_behind and buckets", |on| async move {
            let (store, bucket): (&OfThis, _) = (on.engine.store()?, Bucket::default());
            store.look(Look { bucket: bucket.clone(), n_max: 10 }).await?;
            let behind = Behind { bucket, n_max: 10, ranges: [].into(), skip: Vec::new(), after: None };
            store.look_behind(behind).await?;
            Ok(store.buckets().await.map(drop)?)
        }),
        Call::new("Store::payload and strays", |on| async move {
            let store: &OfThis = on.engine.store()?;
            store.payload(on.far.id).await?;
            Ok(store.strays(WorkerId::new(0, random()), 10).await.map(drop)?)
        }),
    ]
}

/// No id twice.
fn random() -> [u64; 2] {
    [0, 1].map(|n| RandomState::new().hash_one(n))
}
