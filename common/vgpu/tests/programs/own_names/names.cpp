/* names.cpp - functions and variables that a C program may well have: the virtual GPU's own must not clash with them. */
extern "C" {
int memory_new = 1;
int gpu_default = 2;
int form_find[3] = {3, 4, 5};
int check_shared, launch_run, host_line;

int block_run(int value);
int module_load(int value);
int stream_of(int value);
int host_call(int value);
int memory_alloc(int value);
int runtime_launch(int value);
int read_file(int value);
int arena_alloc(int value);

int block_run(int value) { return value + memory_new; }
int module_load(int value) { return block_run(value) + gpu_default; }
int stream_of(int value) { return module_load(value) + form_find[0]; }
int host_call(int value) { return stream_of(value) + form_find[1]; }
int memory_alloc(int value) { return host_call(value) + form_find[2]; }
int runtime_launch(int value) { return memory_alloc(value) + check_shared; }
int read_file(int value) { return runtime_launch(value) + launch_run; }
int arena_alloc(int value) { return read_file(value) + host_line; }
}
