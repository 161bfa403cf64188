/* parts.h - what the files of this program share. */
void scale_on_device(float *data, float factor, int n);
void shift_on_device(float *data, float by, int n);
float on_host(float value);
