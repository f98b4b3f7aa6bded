import { Masked, type MaskedProps } from "./Masked";
import { DraftPanel, type DraftPanelProps } from "./DraftPanel";

/** The draft of a document, as text or as form; its secrets are hidden until they are asked for. Loaded when somebody looks at one of them, as reading needs no editor. */
export default function EditTab({ reveal, ...rest }: DraftPanelProps & Pick<MaskedProps, "reveal">) {
  const { stored, kind, model } = rest;
  return (
    <Masked source={stored} kind={kind} model={model} reveal={reveal}>
      <DraftPanel {...rest} />
    </Masked>
  );
}
