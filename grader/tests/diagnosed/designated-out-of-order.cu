// says: order
struct task { int n, m; };
struct task make() { return (struct task){.m = 1, .n = 2}; }
