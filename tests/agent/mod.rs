mod answers;
mod bench;
mod calls;
mod hostile;
mod pushes;
