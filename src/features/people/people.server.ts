import { Nothing, openQuery } from '~/server/operation'

/** Two people whom everybody may know, because there are no such people: what the sample pages ask for. */
export const listPeople = openQuery('people.list', {
  input: Nothing,
  allow: () => true,
  run: async () => [
    { id: 1, name: 'John Doe' },
    { id: 2, name: 'Jane Doe' },
  ],
})
