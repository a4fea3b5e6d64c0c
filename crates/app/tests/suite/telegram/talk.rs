//! Talking: what was said is answered, remembered, and remembered after a restart.

use crate::common::served::Served;

#[test]
fn l15_what_was_said_is_remembered_after_a_restart() {
    let mut served = Served::new();
    assert_eq!(served.ask("My sister is called Annabel. I live in Lisbon.").text, "Noted.");
    assert_eq!(served.stop(), Some(0), "told to stop, it stops");
    served.start();
    let reply = served.ask("Where do I live?").text;
    assert!(reply.contains("I live in Lisbon"), "{reply}");
    assert_eq!(served.stop(), Some(0));
    let status = served.home.json(&["status"]);
    assert_eq!((&status["replies"]["pending"], &status["replies"]["uncertain"]), (&0.into(), &0.into()));
    assert_eq!(status["messages"], 4);
}
