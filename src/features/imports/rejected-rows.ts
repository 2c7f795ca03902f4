/** The two columns that a list of rejected rows has beside the file's own; they are passed over when it comes back. */
export const REJECTED_COLUMNS = ['Sanad: line', 'Sanad: reason'] as const
