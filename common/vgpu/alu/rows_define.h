/* rows_define.h - makes the next inclusion of a .def file define the rows' functions.
 * Pairs with rows_list.h, which makes it list them; includes may repeat, so there is no guard.
 * Knows no instruction. */
#define FORM1(id, name, D, A, class, expr, meaning)       LANES1(id, C_##D, C_##A, expr)
#define FORM2(id, name, D, A, B, class, expr, meaning)    LANES2(id, C_##D, C_##A, C_##B, expr)
#define FORM3(id, name, D, A, B, C, class, expr, meaning) LANES3(id, C_##D, C_##A, C_##B, C_##C, expr)
#define FORM4(id, name, D, A, B, C, E, class, expr, meaning)                                                 \
    LANES4(id, C_##D, C_##A, C_##B, C_##C, C_##E, expr)
#define TEST1(id, name, A, class, expr, meaning)            LANES_TEST(id, C_##A, C_##A, 0, expr)
#define TEST2(id, name, A, B, class, expr, meaning)         LANES_TEST(id, C_##A, C_##B, 1, expr)
#define SELECT(id, name, D, class, meaning)                 LANES_SELECT(id, C_##D)
#define CARRY2(id, name, D, class, expr, meaning)           LANES_CARRY(id, C_##D, expr)
#define CARRY3(id, name, D, class, expr, meaning)           LANES_CARRY(id, C_##D, expr)
#define PAIR1(id, name, D, class, expr, meaning)            HALVES1(id, expr)
#define PAIR2(id, name, D, class, T, expr, meaning)         HALVES2(id, T, expr)
#define PAIR3(id, name, D, class, expr, meaning)            HALVES3(id, expr)
#define ROW(id, name, signature, class, meaning)            /* the function is written out by hand */
#define ROUNDED1(id, name, D, A, class, rnd, expr, meaning) LANES_ROUNDED1(id, C_##D, C_##A, rnd, expr)
#define ROUNDED2(id, name, D, A, B, class, rnd, expr, meaning)                                               \
    LANES_ROUNDED2(id, C_##D, C_##A, C_##B, rnd, expr)
#define ROUNDED3(id, name, D, A, B, C, class, rnd, expr, meaning)                                            \
    LANES_ROUNDED3(id, C_##D, C_##A, C_##B, C_##C, rnd, expr)
