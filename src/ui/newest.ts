/**
 * The row that an open dialog is about, as the screen has read it last. With the row as it was when the dialog opened,
 * a save that another user's change refused would be refused for ever.
 */
export const newestOf = <Row extends { id: string }>(rows: readonly Row[], row: Row): Row =>
  rows.find(({ id }) => id === row.id) ?? row
