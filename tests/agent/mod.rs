mod answers;
mod aside;
mod bench;
mod calls;
mod hostile;
mod pushes;
