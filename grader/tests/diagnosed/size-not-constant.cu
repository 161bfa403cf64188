// says: known when the file is compiled
template <int N> struct row { float x[N]; };
void make(int n)
{
    row<n> r;
}
