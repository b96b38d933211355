// Command broken does not build.
package main

func main() { missingFunction() }
