/* A function of a library without symbols other than dynamic ones. */
int named_by_dynamic_symbol(int value) {
  return 2 * value;
}
