import text from './common-passwords.txt?raw'

/**
 * Three thousand passwords of eight characters and more that attackers try first, in lower case.
 * Written for Sanad, not taken from a leak: keyboard walks and runs of digits (Latin, French and
 * Arabic keyboards); well-known favourites; and four hundred words, names, teams and places of the
 * three languages, of clinics and of this product, with usual endings.
 */
export const commonPasswords = () => (list ??= new Set(text.trimEnd().split('\n')))

let list: Set<string> | undefined
