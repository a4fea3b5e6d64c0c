//! The bot as people meet it: the binary serving a home, and a double of Telegram on the far side.

mod access;
mod commands;
pub mod days;
mod faults;
mod files;
mod forget;
mod groups;
mod lanes;
mod messages;
mod onboard;
mod owner;
mod pictures;
mod routines;
pub mod scripted;
mod stories;
mod stream;
mod survival;
mod talk;
pub mod talker;
mod together;
mod uncertain;
