import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { Answer } from '~/features/office/demo/Answer'
import { simpleFields } from '~/features/office/demo/demo'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/demo/form/simple')({ component: SimpleFormPage })

function SimpleFormPage() {
  const say = useSay()
  const [handedIn, setHandedIn] = useState<unknown>()
  return (
    <Page title="demo.simple" lead={say('demo.simpleText')} narrow>
      <FieldForm
        fields={simpleFields}
        submit="demo.submit"
        onSubmit={async (values) => setHandedIn(values)}
      />
      {handedIn !== undefined && <Answer label="demo.handedIn" value={handedIn} />}
    </Page>
  )
}
