//! Projects as people handle them: files right and wrong, the commands around them, and real sites that
//! they read.

mod auth;
mod broken;
mod commands;
mod dokuwiki;
mod editing;
mod example;
mod explained;
mod forms;
mod forum;
mod forum_steps;
mod interactive;
mod mediawiki;
mod secrets;
mod trial;
mod visitor;
