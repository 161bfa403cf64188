// says: #include
void make(int n)
{
    std::vector<int> v(n);
}
