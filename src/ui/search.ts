/** This search, or what makes it of the present one, for whichever screen it is: the router types that of one route. */
export const onlySearch = (search: object | undefined) => search as never // no type fits every route

/** Changes these parameters of the address and keeps the others. */
export const withSearch = (change: object) =>
  onlySearch((search: object) => ({ ...search, ...change }))
