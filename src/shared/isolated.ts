/** A text of either script, isolated so that it does not turn the order of the words around it. */
export const isolated = (text: string) => `\u2068${text}\u2069`
