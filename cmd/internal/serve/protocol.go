package serve

import "encoding/json"

// The documents of the Open Inference Protocol, version 2, over HTTP/REST, with Triton's extensions for binary tensors and for
// classification.

// binaryHeader is the HTTP header that says how many bytes at the begin of a body are JSON; the rest are binary tensors.
const binaryHeader = "Inference-Header-Content-Length"

// The tensors of every model.
const (
	signalsTensor       = "signals"
	probabilitiesTensor = "probabilities"
	classTensor         = "class"
	labelTensor         = "label"
)

type serverMetadata struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

type modelMetadata struct {
	Name     string           `json:"name"`
	Versions []string         `json:"versions"`
	Platform string           `json:"platform"`
	Inputs   []tensorMetadata `json:"inputs"`
	Outputs  []tensorMetadata `json:"outputs"`
}

type tensorMetadata struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"` // -1: any
}

type modelReady struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
}

type errorDocument struct {
	Error string `json:"error"`
}

type inferRequest struct {
	ID         string            `json:"id"`
	Parameters requestParameters `json:"parameters"`
	Inputs     []inputTensor     `json:"inputs"`
	Outputs    []outputRequest   `json:"outputs"`
}

type requestParameters struct {
	BinaryDataOutput bool  `json:"binary_data_output"`
	Timeout          int64 `json:"timeout"` // µs; 0: none
}

type inputTensor struct {
	Name       string `json:"name"`
	Shape      []int  `json:"shape"`
	Datatype   string `json:"datatype"`
	Parameters struct {
		BinaryDataSize *int `json:"binary_data_size"`
	} `json:"parameters"`
	Data json.RawMessage `json:"data"`
}

type outputRequest struct {
	Name       string           `json:"name"`
	Parameters outputParameters `json:"parameters"`
}

type outputParameters struct {
	BinaryData     *bool `json:"binary_data"`
	Classification *int  `json:"classification"`
}

type inferResponse struct {
	ModelName    string         `json:"model_name"`
	ModelVersion string         `json:"model_version"`
	ID           string         `json:"id,omitempty"`
	Outputs      []outputTensor `json:"outputs"`
}

type outputTensor struct {
	Name       string            `json:"name"`
	Datatype   string            `json:"datatype"`
	Shape      []int             `json:"shape"`
	Parameters *outputBinarySize `json:"parameters,omitempty"`
	Data       any               `json:"data,omitempty"`
}

type outputBinarySize struct {
	BinaryDataSize int `json:"binary_data_size"`
}
