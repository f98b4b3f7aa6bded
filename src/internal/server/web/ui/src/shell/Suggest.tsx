import { Autocomplete } from "@mantine/core";
import { useState } from "react";

interface Props {
  label: string;
  value: string;
  options: string[]; // what is offered; anything else can be written
  onChoose: (value: string) => void;
  disabled?: boolean;
  description?: string;
}

/** A field that offers what there is. What is written counts when one leaves it or presses Enter. */
export function Suggest(props: Props) {
  return <Field key={props.value} {...props} />;
}

function Field({ label, value, options, onChoose, disabled, description }: Props) {
  const [text, setText] = useState(value);
  const commit = () => {
    if (text.trim() !== value) onChoose(text.trim());
  };
  return (
    <Autocomplete
      label={label} description={description} value={text} disabled={disabled} data={[...new Set(options)]} limit={50} w={220}
      filter={({ options: all, search, limit }) => (search.trim() === value ? all : all.filter((o) => "value" in o && o.value.toLowerCase().includes(search.trim().toLowerCase()))).slice(0, limit)}
      onChange={setText} onOptionSubmit={onChoose} onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.currentTarget.getAttribute("aria-activedescendant") === null) commit();
      }}
    />
  );
}
