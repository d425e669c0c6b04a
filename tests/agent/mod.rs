mod answers;
mod aside;
mod bench;
mod calls;
mod hostile;
mod processes;
mod pushes;
