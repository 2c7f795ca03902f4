const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id that is no UUID matches nothing, and is never cast. */
export const isUuid = (id: string) => UUID.test(id)
