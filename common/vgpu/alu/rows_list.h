/* rows_list.h - makes the next inclusion of a .def file list its rows as struct form initialisers.
 * Pairs with rows_define.h; the ids are the functions which that inclusion defined.
 * Knows no instruction. */
#undef FORM1
#undef FORM2
#undef FORM3
#undef FORM4
#undef TEST1
#undef TEST2
#undef SELECT
#undef CARRY2
#undef CARRY3
#undef PAIR1
#undef PAIR2
#undef PAIR3
#undef ROW
#undef ROUNDED1
#undef ROUNDED2
#undef ROUNDED3
#define FORM1(id, name, D, A, class, expr, meaning)    {name, S_##D "=" S_##A, class, 0, id, meaning},
#define FORM2(id, name, D, A, B, class, expr, meaning) {name, S_##D "=" S_##A S_##B, class, 0, id, meaning},
#define FORM3(id, name, D, A, B, C, class, expr, meaning)                                                    \
    {name, S_##D "=" S_##A S_##B S_##C, class, 0, id, meaning},
#define FORM4(id, name, D, A, B, C, E, class, expr, meaning)                                                 \
    {name, S_##D "=" S_##A S_##B S_##C S_##E, class, 0, (form_fn *)(void (*)(void))id, meaning},
#define TEST1(id, name, A, class, expr, meaning)    {name, "p=" S_##A, class, 0, id, meaning},
#define TEST2(id, name, A, B, class, expr, meaning) {name, "p=" S_##A S_##B, class, 0, id, meaning},
#define SELECT(id, name, D, class, meaning)         {name, S_##D "=" S_##D S_##D "p", class, 0, id, meaning},
#define CARRY2(id, name, D, class, expr, meaning)                                                            \
    {name, S_##D "=" S_##D S_##D, class, 1, (form_fn *)(void (*)(void))id, meaning},
#define CARRY3(id, name, D, class, expr, meaning)                                                            \
    {name, S_##D "=" S_##D S_##D S_##D, class, 1, (form_fn *)(void (*)(void))id, meaning},
#define PAIR1(id, name, D, class, expr, meaning)               {name, S_##D "=" S_##D, class, 0, id, meaning},
#define PAIR2(id, name, D, class, T, expr, meaning)            {name, S_##D "=" S_##D S_##D, class, 0, id, meaning},
#define PAIR3(id, name, D, class, expr, meaning)               {name, S_##D "=" S_##D S_##D S_##D, class, 0, id, meaning},
#define ROW(id, name, signature, class, meaning)               {name, signature, class, 0, id, meaning},
#define ROUNDED1(id, name, D, A, class, rnd, expr, meaning)    FORM1(id, name, D, A, class, expr, meaning)
#define ROUNDED2(id, name, D, A, B, class, rnd, expr, meaning) FORM2(id, name, D, A, B, class, expr, meaning)
#define ROUNDED3(id, name, D, A, B, C, class, rnd, expr, meaning)                                            \
    FORM3(id, name, D, A, B, C, class, expr, meaning)
