// says: No `add`
int add(int a, int b) { return a + b; }
int add(int a, int b, int c) { return a + b + c; }
int run(int *p) { return add(p); }
