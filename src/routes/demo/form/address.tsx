import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { Answer } from '~/features/office/demo/Answer'
import { addressFields } from '~/features/office/demo/demo'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/demo/form/address')({ component: AddressFormPage })

function AddressFormPage() {
  const say = useSay()
  const [handedIn, setHandedIn] = useState<unknown>()
  return (
    <Page title="demo.address" lead={say('demo.addressText')} narrow>
      <FieldForm
        fields={addressFields}
        submit="demo.submit"
        onSubmit={async (values) => setHandedIn(values)}
      >
        {(Field) => (
          <>
            <Group grow align="flex-start">
              <Field name="name" />
              <Field name="email" />
            </Group>
            <Field name="street" />
            <Group grow align="flex-start">
              <Field name="city" />
              <Field name="postalCode" />
            </Group>
            <Field name="country" />
          </>
        )}
      </FieldForm>
      {handedIn !== undefined && <Answer label="demo.handedIn" value={handedIn} />}
    </Page>
  )
}
