// A shared library that is not a plug-in.
int nothing_of_interest() {
  return 0;
}
