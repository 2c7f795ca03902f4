/** The attribute of a box whose form is not saved: it holds no number, or a text that was not taken from its list. */
export const REFUSES = 'data-refuses-save'
