// RUN: another --interpret %s | FileCheck %s

func.func @main() { return }
