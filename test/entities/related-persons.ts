import { relatedPersonRecord } from '~/records/related-person'
import { entity } from './entity'

export const relatedPersons = entity({
  record: relatedPersonRecord,
  noun: 'relatedPersons',
  list: 'ofPatient',
  tab: 'details',
  dialog: 'people/related/RelatedPersonDialog',
  table: 'people/related/PatientRelatedPersons',
  stored: () => ({ relationship: 'contact', name: 'Nadia Haddad', phone: '0501234567' }),
  saved: () => ({ relationship: 'mother', name: 'Nadia Haddad' }),
  shows: 'Nadia Haddad',
  edited: {
    from: () => ({ notes: 'Lives next door' }),
    row: 'next door',
    values: {
      relationship: 'guardian',
      name: 'Samira',
      phone: '0507654321',
      notes: 'Not next door',
    },
    left: (say) => ({
      [say('relatedPersons.patient')]:
        'instead of a name: src/features/people/related/related-persons.test.ts',
    }),
    one: 'name',
  },
})
