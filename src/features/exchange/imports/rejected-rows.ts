/** The two columns that a list of rejected rows adds to those of the file. Imports ignore them. */
export const REJECTED_COLUMNS = ['Sanad: line', 'Sanad: reason'] as const
