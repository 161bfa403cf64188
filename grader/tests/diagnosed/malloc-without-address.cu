// says: takes the pointer's address
void run(int n)
{
    float *array;
    cudaMalloc(array, n * sizeof(float));
}
