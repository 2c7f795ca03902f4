import { NoInput, openQuery } from '~/server/operation'

/** Two fictional people, for the sample pages. */
export const listPeople = openQuery('people.list', {
  input: NoInput,
  allow: () => true,
  run: async () => [
    { id: 1, name: 'John Doe' },
    { id: 2, name: 'Jane Doe' },
  ],
})
