import { Divider, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, use } from 'react'
import { drugRecord } from '~/records/drug'
import { type Sayable, useSay } from '~/shared/say'
import { useComma } from '~/ui/comma'
import { FieldForm, type FormOutput } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { BarcodeField } from './BarcodeField'
import { newDrug } from './drug'
import type { Drug } from './drugs.server'
import { SUGGESTED_NAMES, unknownNames } from '~/features/medicines/safety/rules/ingredients'

type Props = {
  drug: Drug | undefined
  /** A barcode scanned before the form was opened. */
  barcode?: string
  cancel: ReactNode
  onSubmit: (values: FormOutput<typeof drugRecord.fields>) => Promise<unknown>
}
const names = SUGGESTED_NAMES.map((name) => ({ value: name, label: { text: name } }))

/** Everything that the catalogue knows about a medicine. A scanner types into the barcode. */
export function DrugForm({ drug, barcode, cancel, onSubmit }: Props) {
  return (
    <FieldForm
      fields={drugRecord.fields}
      values={drug}
      suggested={{ ...newDrug, barcode }}
      options={{ ingredients: names }}
      submit="common.save"
      cancel={cancel}
      onSubmit={onSubmit}
    >
      {(Field) => (
        <Stack gap="lg">
          <Section title="drugs.whatItIs">
            <Pair>
              <Field name="generic_name" />
              <Field name="brand_name" />
            </Pair>
            <div>
              <Field name="ingredients" />
              <UnknownIngredients />
            </div>
            <Pair>
              <Field name="form" />
              <Field name="route" />
            </Pair>
            <Pair>
              <Field name="dosage_quantity" />
              <Field name="dosage_units" />
            </Pair>
            <Pair>
              <Field name="per_quantity" />
              <Field name="per_unit" />
            </Pair>
            <Field name="ingredient_strengths" />
          </Section>
          <Section title="drugs.package">
            <Pair>
              <BarcodeField>
                <Field name="barcode" />
              </BarcodeField>
              <Field name="manufacturer" />
            </Pair>
            <Pair>
              <Field name="sale_price" />
              <Field name="sale_currency" />
            </Pair>
          </Section>
          <Section title="drugs.keeping">
            <Pair>
              <Field name="min_stock_level" />
              <Field name="max_stock_level" />
            </Pair>
            <Group gap="xl">
              <Field name="is_controlled" />
              <Field name="requires_refrigeration" />
              <Field name="is_active" />
            </Group>
            <Field name="notes" />
          </Section>
        </Stack>
      )}
    </FieldForm>
  )
}

/** Warns at entry: ingredients unknown to the checks are not checked in prescriptions. */
function UnknownIngredients() {
  const say = useSay()
  const comma = useComma()
  const form = use(FormContext)
  const typed = form?.draft['ingredients']
  const unknown = unknownNames(Array.isArray(typed) ? typed.map(String) : [])
  return (
    <Text size="sm" mt={4} component="output" display="block">
      {unknown.length > 0 &&
        say({ key: 'drugs.ingredientsUnknown', values: { names: unknown.join(comma) } })}
    </Text>
  )
}

const Pair = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>{children}</SimpleGrid>
)

function Section({ title, children }: { title: Sayable; children: ReactNode }) {
  const say = useSay()
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {say(title)}
      </Title>
      <Divider />
      {children}
    </Stack>
  )
}
