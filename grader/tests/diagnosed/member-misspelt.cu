// says: definition of the struct
struct task { int width; };
int run(struct task task) { return task.widht; }
