const served = new WeakSet<Request>()

/** A server function has read its input and calls its operation: what fails from now on is not the input's form. */
export const markServed = (request: Request) => served.add(request)
export const wasServed = (request: Request) => served.has(request)
