/* The operations of `Quick`, as theory/exact/quick.py has them in Python, without Python between two of flint's.

   `Count` is the counter of theory/exact/budget.py. A `Method` is what the class has under `__add__`,
   `__lt__` and so on: it takes a `Quick` with a `Quick` or an `int`, and hands whatever else there is, a
   division by 0 among it, to the function of Python that it was made with. `bind` says where a `Quick` has its number.
*/
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#define VERSION 1

static PyTypeObject *quick;            /* the class, and where in its instances `flint` is */
static Py_ssize_t place;
static PyObject *most_bits, *counting; /* the variables of theory/exact/budget.py, */
static PyObject *too_long, *beyond;    /* and its `check_length` and `counted`, which raise */
static long long free_of_charge;       /* bits, up to which an operation counts 1 */
static PyObject *height_bits, *top, *bottom;

static PyObject **number(PyObject *held) { return (PyObject **)((char *)held + place); }

/* Operations so far, and at most. */
typedef struct {
    PyObject_HEAD
    long long done;
    double most;
} Count;

static PyMemberDef count_members[] = {
    {"done", T_LONGLONG, offsetof(Count, done), 0, NULL},
    {"most", T_DOUBLE, offsetof(Count, most), 0, NULL},
    {NULL},
};

static PyObject *count_new(PyTypeObject *type, PyObject *args, PyObject *named) {
    double most;
    if (!PyArg_ParseTuple(args, "d:Count", &most)) return NULL;
    Count *made = (Count *)type->tp_alloc(type, 0);
    if (made) made->most = most;
    return (PyObject *)made;
}

static PyTypeObject CountType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "theory.exact._quick.Count",
    .tp_basicsize = sizeof(Count),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "How many operations there may be, and how many there were.",
    .tp_members = count_members,
    .tp_new = count_new,
};

static int called(PyObject *function, long long bits) {
    PyObject *given = PyLong_FromLongLong(bits);
    if (!given) return -1;
    PyObject *found = PyObject_CallOneArg(function, given);
    Py_DECREF(given);
    Py_XDECREF(found);
    return found ? 0 : -1;
}

/* `check_length` of theory/exact/budget.py; −1 where it raises. */
static int checked(long long bits) {
    PyObject *value;
    if (PyContextVar_Get(most_bits, NULL, &value) < 0) return -1;
    long long most = PyLong_AsLongLong(value);
    Py_DECREF(value);
    if (most == -1 && PyErr_Occurred()) return -1;
    return bits > most ? called(too_long, bits) : 0;
}

/* `charge` of the same. */
static int charge(long long bits) {
    PyObject *value;
    if (checked(bits) < 0) return -1;
    if (PyContextVar_Get(counting, NULL, &value) < 0) return -1;
    if (value == Py_None) {
        Py_DECREF(value);
        return 0;
    }
    int kept = Py_TYPE(value) == &CountType;
    if (kept) {
        Count *count = (Count *)value;
        long long more = bits > free_of_charge ? 1 + (bits >> 8) + bits * bits / 1000000 : 1;
        kept = bits < 1LL << 31 && (double)(count->done + more) <= count->most;
        if (kept) count->done += more;
    }
    Py_DECREF(value);
    return kept ? 0 : called(beyond, bits);
}

/* Bits of the longer of numerator and denominator; −1 for an error. */
static long long size_of(PyObject *value) {
    PyObject *bits = PyObject_CallMethodNoArgs(value, height_bits);
    long long size = bits ? PyLong_AsLongLong(bits) : -1;
    Py_XDECREF(bits);
    return size;
}

/* A number of flint as a `Quick`, counted; takes the reference. */
static PyObject *made_of(PyObject *value) {
    long long size = size_of(value);
    PyObject *made = NULL;
    if (size >= 0 && charge(size) == 0) made = quick->tp_alloc(quick, 0);
    if (!made) {
        Py_DECREF(value);
        return NULL;
    }
    *number(made) = value;
    PyObject_GC_UnTrack(made); /* a number leads nowhere */
    return made;
}

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    binaryfunc compute; /* NULL: a comparison */
    int swapped, order;
    PyObject *other;
} Method;

/* What `a` and `b` are for flint, borrowed; 0 where Python's own function takes them. */
static int operands(PyObject *const *args, PyObject **one, PyObject **two) {
    PyObject *a = args[0], *b = args[1];
    if (!quick || !PyObject_TypeCheck(a, quick)) return 0;
    *one = *number(a);
    if (Py_TYPE(b) == quick) *two = *number(b);
    else if (PyLong_CheckExact(b)) *two = b;
    else return 0;
    return *one && *two;
}

static int two_given(Py_ssize_t given, PyObject *named) {
    if (PyVectorcall_NARGS(given) == 2 && (!named || !PyTuple_GET_SIZE(named))) return 1;
    PyErr_SetString(PyExc_TypeError, "an operation takes two numbers");
    return 0;
}

static PyObject *operate(PyObject *self, PyObject *const *args, size_t given, PyObject *named) {
    Method *method = (Method *)self;
    PyObject *one, *two;
    if (!two_given(given, named)) return NULL;
    if (operands(args, &one, &two)) {
        PyObject *value = method->swapped ? method->compute(two, one) : method->compute(one, two);
        if (value) return made_of(value);
        if (!PyErr_ExceptionMatches(PyExc_ZeroDivisionError)) return NULL;
        PyErr_Clear();
    }
    return PyObject_Vectorcall(method->other, args, 2, NULL);
}

/* A whole power; the length of the result is known beforehand. */
static PyObject *raised(PyObject *self, PyObject *const *args, size_t given, PyObject *named) {
    Method *method = (Method *)self;
    PyObject *one, *two;
    int beyond_int;
    if (!two_given(given, named)) return NULL;
    if (operands(args, &one, &two) && two == args[1]) {
        long long exponent = PyLong_AsLongLongAndOverflow(two, &beyond_int), size = size_of(one);
        if (size < 0) return NULL;
        if (!beyond_int && exponent >= 0 && exponent < 1LL << 31 && size < 1LL << 31) {
            if (checked((size - 1) * exponent) < 0) return NULL;
            PyObject *value = PyNumber_Power(one, two, Py_None);
            return value ? made_of(value) : NULL;
        }
    }
    return PyObject_Vectorcall(method->other, args, 2, NULL);
}

/* Numerator of one · denominator of two; `two` may be an int. */
static PyObject *crosswise(PyObject *one, PyObject *two) {
    PyObject *p = PyObject_GetAttr(one, top), *q = p ? PyObject_GetAttr(two, bottom) : NULL;
    PyObject *found = q ? PyNumber_Multiply(p, q) : NULL;
    Py_XDECREF(p);
    Py_XDECREF(q);
    return found;
}

static PyObject *compare(PyObject *self, PyObject *const *args, size_t given, PyObject *named) {
    Method *method = (Method *)self;
    PyObject *one, *two;
    if (!two_given(given, named)) return NULL;
    if (!operands(args, &one, &two)) return PyObject_Vectorcall(method->other, args, 2, NULL);
    if (method->order == Py_EQ || two == args[1]) return PyObject_RichCompare(one, two, method->order);
    PyObject *left = crosswise(one, two), *right = left ? crosswise(two, one) : NULL;
    PyObject *found = right ? PyObject_RichCompare(left, right, method->order) : NULL;
    Py_XDECREF(left);
    Py_XDECREF(right);
    return found;
}

static PyObject *method_get(PyObject *self, PyObject *held, PyObject *type) {
    return held && held != Py_None ? PyMethod_New(self, held) : Py_NewRef(self);
}

static int method_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((Method *)self)->other);
    return 0;
}

static void method_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((Method *)self)->other);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject MethodType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "theory.exact._quick.Method",
    .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc = "An operation or a comparison of two numbers.",
    .tp_vectorcall_offset = offsetof(Method, call),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = method_get,
    .tp_traverse = method_traverse,
    .tp_dealloc = method_dealloc,
};

static PyObject *method_of(vectorcallfunc call, binaryfunc compute, int swapped, int order, PyObject *other) {
    Method *made = PyObject_GC_New(Method, &MethodType);
    if (!made) return NULL;
    made->call = call;
    made->compute = compute;
    made->swapped = swapped;
    made->order = order;
    made->other = Py_NewRef(other);
    PyObject_GC_Track(made);
    return (PyObject *)made;
}

static PyObject *operation(PyObject *self, PyObject *args) {
    static const struct {
        const char *name;
        binaryfunc compute;
    } known[] = {{"add", PyNumber_Add}, {"sub", PyNumber_Subtract}, {"mul", PyNumber_Multiply},
                 {"truediv", PyNumber_TrueDivide}};
    const char *name;
    int swapped;
    PyObject *other;
    if (!PyArg_ParseTuple(args, "spO:operation", &name, &swapped, &other)) return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) return method_of(operate, known[i].compute, swapped, 0, other);
    return PyErr_Format(PyExc_ValueError, "operation(%s): expected add, sub, mul or truediv", name);
}

static PyObject *comparison(PyObject *self, PyObject *args) {
    static const char *const known[] = {"lt", "le", "eq", "ne", "gt", "ge"}; /* Py_LT, … */
    const char *name;
    PyObject *other;
    if (!PyArg_ParseTuple(args, "sO:comparison", &name, &other)) return NULL;
    for (int order = 0; order < 6; order++)
        if (!strcmp(name, known[order])) return method_of(compare, NULL, 0, order, other);
    return PyErr_Format(PyExc_ValueError, "comparison(%s): expected lt, le, eq, ne, gt or ge", name);
}

static PyObject *power(PyObject *self, PyObject *other) { return method_of(raised, NULL, 0, 0, other); }

static PyObject *bind(PyObject *self, PyObject *args) {
    PyObject *type, *slot, *bits, *count, *check, *over;
    long long least;
    if (!PyArg_ParseTuple(args, "O!OOOOOL:bind", &PyType_Type, &type, &slot, &bits, &count, &check, &over, &least))
        return NULL;
    if (!PyObject_TypeCheck(slot, &PyMemberDescr_Type) || ((PyDescrObject *)slot)->d_type != (PyTypeObject *)type)
        return PyErr_Format(PyExc_TypeError, "bind: expected a class and its member");
    place = ((PyMemberDescrObject *)slot)->d_member->offset;
    free_of_charge = least;
    Py_XSETREF(most_bits, Py_NewRef(bits));
    Py_XSETREF(counting, Py_NewRef(count));
    Py_XSETREF(too_long, Py_NewRef(check));
    Py_XSETREF(beyond, Py_NewRef(over));
    PyObject *before = (PyObject *)quick;
    quick = (PyTypeObject *)Py_NewRef(type);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"operation", operation, METH_VARARGS, "operation(name, swapped, other): a method of two numbers."},
    {"comparison", comparison, METH_VARARGS, "comparison(name, other): a method of two numbers."},
    {"power", power, METH_O, "power(other): a method of a number and an exponent."},
    {"bind", bind, METH_VARARGS, "bind(class, member, bits, count, check_length, counted, bits that count 1)."},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_quick", "The operations of `Quick`.", -1, functions};

PyMODINIT_FUNC PyInit__quick(void) {
    height_bits = PyUnicode_InternFromString("height_bits");
    top = PyUnicode_InternFromString("p");
    bottom = PyUnicode_InternFromString("q");
    if (!height_bits || !top || !bottom || PyType_Ready(&CountType) < 0 || PyType_Ready(&MethodType) < 0) return NULL;
    PyObject *made = PyModule_Create(&module);
    if (!made) return NULL;
    if (PyModule_AddObjectRef(made, "Count", (PyObject *)&CountType) < 0 ||
        PyModule_AddIntConstant(made, "VERSION", VERSION) < 0) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
