import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import en from '../../messages/en.json'
import { text } from '~/fields/field'
import { formerAnswers, FormerAnswers } from './FormerAnswers'

const fields = { Complaint: text('common.search') }

test('what a draft holds for fields that have left the form is shown by their names', () => {
  const draft = {
    Complaint: 'Cough',
    Findings: 'Crackles left',
    Medicines: [{ name: 'Amoxicillin', dose: '500' }],
    empty: '',
    none: [],
    primary_clinic_id: 'c',
  }
  const answers = formerAnswers(fields, draft, ['primary_clinic_id'])
  expect(answers).toEqual({ Findings: draft.Findings, Medicines: draft.Medicines })
  const html = renderToStaticMarkup(
    <MantineProvider>
      <IntlProvider locale="en" messages={en} timeZone="UTC">
        <FormerAnswers answers={answers} labels={{ Findings: 'Findings' }} />
      </IntlProvider>
    </MantineProvider>,
  )
  const shown = html.replaceAll(/<style.*?<\/style>|<[^>]+>/g, '')
  expect(shown).toContain('Findings: Crackles left')
  expect(shown).toContain('A removed field: Amoxicillin 500')
  expect(formerAnswers(fields, { Complaint: 'x' })).toEqual({})
})
