import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import ar from '../../messages/ar.json'
import { type FormQuestion, questionField } from '~/forms/question'
import { date, type Field, text } from './field'
import { fieldKinds } from './kinds'

/** An answer as an Arabic reader sees it. */
function shown(kind: 'date' | 'birthDate', value: unknown) {
  const { Cell } = fieldKinds[kind]
  const field: Field = { ...date('common.search'), kind }
  const html = renderToStaticMarkup(
    <IntlProvider locale="ar" messages={ar} timeZone="UTC">
      <Cell field={field} value={value} />
    </IntlProvider>,
  )
  return html.replaceAll(/<[^>]+>/g, '')
}

test('an answered day is yyyy-MM-dd in every language; what is no day is shown as it stands', () => {
  expect(shown('date', '2026-03-01')).toBe('2026-03-01')
  expect(shown('date', 'in spring')).toBe('in spring')
  expect(shown('birthDate', '1948-12-12')).toBe('1948-12-12')
  expect(shown('birthDate', '~1990')).toContain('1990')
  expect(shown('birthDate', 'long ago')).toBe('long ago')
})

test('a phone number reads from the left in an Arabic form, a name has its own direction', () => {
  const { Input } = fieldKinds.text
  const drawn = (value: string) =>
    renderToStaticMarkup(
      <MantineProvider>
        <IntlProvider locale="ar" messages={ar} timeZone="UTC">
          <Input
            field={text('common.search')}
            name="phone"
            value={value}
            onChange={() => undefined}
          />
        </IntlProvider>
      </MantineProvider>,
    )
  expect(drawn('+962 79 123')).toContain('dir="ltr"')
  for (const value of ['', 'ليلى', 'Layla 2']) expect(drawn(value)).toContain('dir="auto"')
})

test('a password is masked, and a password manager may fill it in', () => {
  const { Input } = fieldKinds.password
  const drawn = (name: string) =>
    renderToStaticMarkup(
      <MantineProvider>
        <IntlProvider locale="ar" messages={ar} timeZone="UTC">
          <Input field={text('common.search')} name={name} value="" onChange={() => undefined} />
        </IntlProvider>
      </MantineProvider>,
    )
  expect(drawn('password')).toMatch(/<input[^>]* type="password"/)
  expect(drawn('password')).toContain('autoComplete="current-password"')
  expect(drawn('newPassword')).toContain('autoComplete="new-password"')
})

test('an option such as "A+" keeps its order in Arabic, in the form and in the answer', () => {
  const field: Field = {
    ...date('common.search'),
    kind: 'choice',
    options: [{ value: 'A+', label: { text: 'A+' } }],
  }
  const drawn = (kind: 'choice' | 'choices', part: 'Input' | 'Cell') => {
    const { [part]: Drawn } = fieldKinds[kind]
    const props = {
      field,
      name: 'blood',
      value: kind === 'choices' ? ['A+'] : 'A+',
      onChange: () => undefined,
    }
    return renderToStaticMarkup(
      <MantineProvider>
        <IntlProvider locale="ar" messages={ar} timeZone="UTC">
          <Drawn {...props} />
        </IntlProvider>
      </MantineProvider>,
    )
  }
  for (const kind of ['choice', 'choices'] as const)
    for (const part of ['Input', 'Cell'] as const)
      expect(drawn(kind, part)).toContain('<bdi>A+</bdi>')
})

test('a yes/no question of a form offers both answers, although its form stores no options', () => {
  const { Input } = fieldKinds.yesNo
  const question: FormQuestion = {
    id: 'phone',
    fieldType: 'boolean',
    label: { en: 'Has a phone' },
    options: [],
    required: false,
  }
  const html = renderToStaticMarkup(
    <MantineProvider>
      <IntlProvider locale="ar" messages={ar} timeZone="UTC">
        <Input
          field={questionField(question, 'en')}
          name="phone"
          value={true}
          onChange={() => undefined}
        />
      </IntlProvider>
    </MantineProvider>,
  )
  expect(html.match(/<input[^>]* type="radio"[^>]*>/g)).toHaveLength(2)
  expect(html).toMatch(
    /<input[^>]* checked="" value="true"|<input[^>]* value="true"[^>]* checked=""/,
  )
})
