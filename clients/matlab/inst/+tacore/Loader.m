classdef Loader < handle
  % Batches of one epoch.
  %
  %   batches = rows.batches ('Inputs', {'optical/4,3', 'mask'}, 'BatchSize', 4, 'Seed', 1);
  %   while (true)
  %     batch = batches.next ();
  %     if (isempty (batch)), break, end
  %     size (batch.tensors{1})      % rows x columns x bands x samples
  %   end
  % See also tacore.Rows

  properties (SetAccess = private, Hidden = true)
    handle_ = uint64 (0);
  end
  properties (SetAccess = private)
    count = 0;  % number of batches
  end

  methods
    function self = Loader (handle)
      self.handle_ = handle;
      self.count = tacore_mex ('num_batches', handle);
    end

    function delete (self)
      if (self.handle_ ~= 0)
        tacore_mex ('free', self.handle_);
      end
    end

    function out = next (self)
      % The next batch: tensors (a cell with one for each input), positions (rows, from 1), next_start (the option Start that continues
      % after it), failures. [] at the end.
      out = tacore.internal.call ('next', self.handle_);
      if (isstruct (out))
        out.failures = jsondecode (out.failures);
      end
    end
  end
end
