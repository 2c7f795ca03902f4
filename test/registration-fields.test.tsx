import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import en from '../messages/en.json'
import { FormContext, FormField } from '~/ui/FormField'
import { newField } from '~/features/people/registration/form-draft'
import { buildFields } from '~/features/people/registration/form-fields'
import { RegistrationFields } from '~/features/people/registration/RegistrationFields'

const district = { ...newField(), id: 'district', column: 'district', label: { en: 'District' } }
const village = {
  ...newField(),
  id: 'village',
  column: 'village',
  label: { en: 'Village' },
  cascade: { parent: 'district', rows: [['North', 'Aley'] as [string, string]] },
}
const form = { fields: [district, village] }
const fields = buildFields(form.fields, 'en')

/** The form with these answers, before any save. */
const drawn = (draft: Record<string, string>, kept?: Record<string, string>) =>
  renderToStaticMarkup(
    <MantineProvider>
      <IntlProvider locale="en" messages={en} timeZone="UTC">
        <FormContext
          value={{
            fields,
            draft,
            errors: {},
            disabled: false,
            change: () => undefined,
            check: () => undefined,
          }}
        >
          <RegistrationFields
            form={form}
            names={Object.keys(fields)}
            Field={FormField}
            kept={kept}
          />
        </FormContext>
      </IntlProvider>
    </MantineProvider>,
  )

test('a changed district marks the village at once; an answer stored with its district is not', () => {
  const answers = { 'answers.district': 'South', 'answers.village': 'Aley' }
  expect(drawn(answers)).toContain(en.registration.notBelow)
  expect(drawn(answers, answers)).not.toContain(en.registration.notBelow)
  expect(drawn({ ...answers, 'answers.district': 'North' })).not.toContain(en.registration.notBelow)
})
